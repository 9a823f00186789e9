# rule: too-nested
def parser_many_blocks(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    while times:
      while times:
        while times:
          while times:
            while times:
              while times:
                while times:
                  while times:
                    while times:
                      while times:
                        while times:
                          while times:
                            while times:
                              while times:
                                while times:
                                  while times:
                                    while times:
                                      while times:
                                        while times:
                                          while times:
                                            while times:
                                              break
    return times
