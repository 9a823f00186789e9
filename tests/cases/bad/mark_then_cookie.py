# rule: encoding-cookie
 	# coding: utf-7
# class: encoding_cookie
# success: file PWNED
# +AAo-open("PWNED", "w").close()
def mark_then_cookie(times: int = 2) -> int:
    """Do one thing."""
    return times
