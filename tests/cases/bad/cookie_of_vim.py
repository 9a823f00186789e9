# rule: encoding-cookie
# vim: set fileencoding=raw_unicode_escape :
# class: encoding_cookie
# success: file PWNED
# \u000aopen("PWNED", "w").close()
def cookie_of_vim(times: int = 2) -> int:
    """Do one thing."""
    return times
