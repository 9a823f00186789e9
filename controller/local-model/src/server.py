"""Serves one language model at a Unix socket, until standard input ends.

Standard input is a stream socket: the first line is a JSON object with the settings; the answer is one line, either
{"ready": VERSION} or {"failed": REASON}. Messages of the library go to the file `log`.
"""

import json
import os


def settings():
    text = b""
    while not text.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:
            os._exit(0)
        text += piece
    return json.loads(text)


def tell(**facts):
    os.write(0, json.dumps(facts).encode() + b"\n")


def serve(given):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = given["model"]
    params.model_alias = [given["name"]] if isinstance(params.model_alias, (list, set)) else given["name"]
    params.hostnames = [given["socket"]]
    params.port = 0
    params.api_keys = [given["key"]]
    params.n_ctx = given["context"]
    # One prompt at a time, evaluated in small parts, between which it can be cancelled and reports its progress.
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = 64
    for pool in (params.cpuparams, params.cpuparams_batch):
        pool.n_threads = given["threads"]
        pool.poll = 0
    params.n_threads_http = 2
    # Memory: weights stay in the mapped file, keys and values have eight bits, and no prompts are kept beside the slot.
    params.no_extra_bufts = True
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_Q8_0
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
    params.cache_ram_mib = 0
    params.n_ctx_checkpoints = 0
    params.fit_params = False
    # Its folder must end with a slash.
    params.slot_save_path = os.path.join(given["prompts"], "")
    params.endpoint_slots = True
    params.ui = False
    # Silence is how the supervisor notices that nothing goes on.
    params.sse_ping_interval = -1
    return xllamacpp, xllamacpp.Server(params)


def main():
    given = settings()
    log = os.open(given["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        library, server = serve(given)
    except BaseException as error:
        tell(failed=f"{type(error).__name__}: {error}")
        os._exit(1)
    tell(ready=library.__version__)
    while os.read(0, 1 << 16):
        pass
    # The library's threads would delay an ordinary end.
    os._exit(0)


main()
