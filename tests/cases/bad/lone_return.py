# rule: control-character
# class: encoding_cookie
# success: file PWNED
# harmlessopen("PWNED", "w").close()
def lone_return(times: int = 2) -> int:
    """Do one thing."""
    return times
