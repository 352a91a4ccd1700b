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

# %% id=catalogue section="Beyond the published study" title="A catalogue of faults"
from replay_lab import run_catalogue, write_json

catalogue = run_catalogue(config)
catalogue.require_signatures()      # raises and names every entry without its right answer
write_json(catalogue, "catalogue.json")
catalogue

# %% id=observers section="Beyond the published study" title="What weaker observers miss"
from replay_lab import draw_observers, run_observers, show, write_json

observers = run_observers(config)
write_json(observers, "observers.json")
observers_figure = draw_observers(observers)
observers_figure.write()
show(observers, observers_figure)

# %% id=digits section="Beyond the published study" title="How many digits would a log need?"
from replay_lab import draw_digits, show, sweep_digits, write_json

digits = sweep_digits(config)
write_json(digits, "digits.json")
digits_figure = draw_digits(digits)
digits_figure.write()
show(digits, digits_figure)

# %% id=amplifier section="Beyond the published study" title="One ULP, amplified"
from replay_lab import draw_amplifier, run_amplifier, show, write_json

amplifier = run_amplifier()         # a softsign network of its own, not the study's model
write_json(amplifier, "amplifier.json")
amplifier_figure = draw_amplifier(amplifier)
amplifier_figure.write()
show(amplifier, amplifier_figure)

# %% id=usual-style section="Beyond the published study" title="Written the usual way"
from replay_lab import run_usual_style, write_json

usual_style = run_usual_style(config)   # normal, @, mean, choice: right, and not portable
write_json(usual_style, "usual_style.json")
usual_style.table(results.study_digest)

# %% id=seeds section="Beyond the published study" title="How many digits, seed by seed?"
from replay_lab import draw_sweep, run_sweep, show, write_json

seeds = range(64, 128)      # one study for each, otherwise as above
log_digits = range(2, 10)   # decimals of the loss log, 1 to 12

sweep = run_sweep(config.at_seeds(seeds), log_digits)
write_json(sweep, "seeds.json")
sweep_figure = draw_sweep(sweep, marked=config)
sweep_figure.write()
show(sweep, sweep_figure)
