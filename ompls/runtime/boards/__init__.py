"""Machines that are reached over SSH: which there are (registered.py), a login on one (ssh.py), and what is done there.

Nothing of ours is installed on a board: each call sends the text of board.sh and says which of its functions to run.
"""
