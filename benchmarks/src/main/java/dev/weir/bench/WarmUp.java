package dev.weir.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives contenders load in turn until the CPU time of their requests has stopped falling. All get
 * the same rounds, until the last of them is warm: one whose time seems steady by chance, while its
 * compilers are only behind, gets on with the others.
 *
 * @param out says how long it took, and who was not warm by then
 * @param seconds the length of a round; a round that takes longer counts with what it took
 * @param maxSeconds no contender gets another round after this much load
 */
public record WarmUp(PrintStream out, double seconds, double maxSeconds) {
  /** Checks that a warm-up ends. */
  public WarmUp {
    if (!(seconds > 0)) {
      throw new IllegalArgumentException(
          "got rounds of " + seconds + " seconds (expected: more than 0)");
    }
  }

  /** Sends load to one contender for a time. */
  @FunctionalInterface
  public interface Load {
    /** Returns the CPU time of a request in microseconds. */
    double run(int contender, double seconds) throws IOException;
  }

  /**
   * Runs until all are warm at once. Blocks.
   *
   * @param workload for the output
   * @param names of the contenders
   */
  public void run(String workload, List<String> names, Load load) throws IOException {
    List<SteadyCpu> watches = new ArrayList<>();
    names.forEach(name -> watches.add(new SteadyCpu()));
    double[] used = new double[names.size()];
    boolean running = true;
    while (running && !watches.stream().allMatch(SteadyCpu::isSteady)) {
      running = false;
      for (int i = 0; i < names.size(); i++) {
        if (used[i] < maxSeconds) {
          running = true;
          long began = System.nanoTime();
          double micros = load.run(i, seconds);
          used[i] += Math.max(seconds, (System.nanoTime() - began) / 1e9);
          watches.get(i).add(micros);
          out.printf(
              "warming up: %s, %s: %.0f CPU-us a request after %.0f s%n",
              workload, names.get(i), micros, used[i]);
        }
      }
    }
    for (int i = 0; i < names.size(); i++) {
      if (!watches.get(i).hasEnoughRounds()) {
        out.printf(
            "NOT WARM: %s, %s: too few rounds in %.0f s of load to tell%n",
            workload, names.get(i), used[i]);
      } else if (!watches.get(i).isSteady()) {
        out.printf(
            "NOT WARM: %s, %s: its CPU time a request still fell by %.0f %% after %.0f s of load%n",
            workload, names.get(i), 100 * watches.get(i).fall(), used[i]);
      }
    }
  }
}
