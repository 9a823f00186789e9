# rule: encoding-cookie
# coding: utf-7
# class: encoding_cookie
# success: file PWNED
# +AAo-open("PWNED", "w").close()
def cookie_utf_7(times: int = 2) -> int:
    """Do one thing."""
    return times
