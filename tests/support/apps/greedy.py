"""An app that prints without end and crashes."""

print("READY", flush=True)
for number in range(20_000):
    print(f"{number} " + "x" * 200)
raise SystemError("it broke on purpose")
