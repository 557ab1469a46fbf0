"""A device that is elsewhere: what a cluster's nodes and boards share.  It is no device by itself.

The program's side (near.py, library/near.c) speaks the protocol of library/wire.h over a line (library/line.h) with the
far side: a shared object that image.py builds of library/, another device's native half and that device's image.
"""
