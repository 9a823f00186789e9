# rule: not-utf8
# class: encoding_cookie
# success: none
# ÿþ
def utf_16(times: int = 2) -> int:
    """Do one thing."""
    return times
