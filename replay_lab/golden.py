"""The digests that study, catalogue and amplifier must have on every machine.

Changed only by `python -m tests.golden.update`, in a commit that says why the
numbers moved.
"""

STUDY_DIGEST = "59d07e3d3b53d20716d9dee28d30be0183c9e3495bcb5fe16648e6c313409c50"
CATALOGUE_DIGEST = "d9bc4cb0288d7524e94b3d789eceaa487ee49a4239abe7c03dcdd6a7de4a9e14"
AMPLIFIER_DIGEST = "7663176761770123b8d8388ba4003a5b596bf21c38903134f34eabe001df6e26"
