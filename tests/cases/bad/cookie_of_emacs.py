# rule: encoding-cookie -*- coding: unicode_escape -*-
# class: encoding_cookie
# success: file PWNED
# \nopen("PWNED", "w").close()
def cookie_of_emacs(times: int = 2) -> int:
    """Do one thing."""
    return times
