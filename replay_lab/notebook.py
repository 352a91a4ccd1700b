"""The notebook: a runnable script, the one source of page, .ipynb and tests."""

# %% id=constants title="Constants"
from replay_lab import StudyConfig

seed = 97               # starts the data and the sampler stream
steps = 100             # updates of the uninterrupted run
checkpoint_step = 40    # the restore scenarios save and load after this step
learning_rate = 0.05    # Adam's, 1e-6 to 10
shards = 8              # simulated ranks; must divide batch_size
batch_size = 32         # rows drawn per step, with replacement
samples = 256           # rows of the data
features = 24           # columns of the data
logged_digits = 5       # decimals of the loss log

config = StudyConfig(
    seed=seed,
    steps=steps,
    checkpoint_step=checkpoint_step,
    learning_rate=learning_rate,
    shards=shards,
    batch_size=batch_size,
    samples=samples,
    features=features,
    logged_digits=logged_digits,
)

# %% id=study title="Run the study and its assertions"
from replay_lab import run_study, write_results

results = run_study(config)
results.require_checks()            # raises and names every check that fails
print(results.summary_text())       # the published summary
write_results(results)              # results.json, summary.json, losses.csv
results                             # the same rows as a table

# %% id=figures title="Inspect the generated figures"
from replay_lab import draw_figures

figures = draw_figures(results)
figures.write()                     # SVG, PNG and CSV of each
figures
