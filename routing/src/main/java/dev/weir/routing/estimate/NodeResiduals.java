package dev.weir.routing.estimate;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One node's residuals: over all requests, and for each class of cost that differs from them by
 * more than the noise explains; a class that is little known counts as all do. Learns on one thread
 * at a time, is read on any.
 */
public final class NodeResiduals {
  private static final int MIN_SAMPLES = 50;

  /** By how many service times a class must differ from the others to be taken apart. */
  private static final double CLASS_BAND = 0.5;

  private final ResidualEstimator all = new ResidualEstimator();
  private final @Nullable ResidualEstimator[] byClass =
      new ResidualEstimator[FleetStatistics.COST_CLASSES];
  private final int[] samples = new int[FleetStatistics.COST_CLASSES];

  /** How much of what tells a class apart is forgotten with each answer to another class. */
  private static final double CLASS_DECAY = 1.0 / 500;

  /** As doubles: by how much classes differ from all; the last one is that of all. */
  private final AtomicLongArray published = new AtomicLongArray(FleetStatistics.COST_CLASSES + 1);

  private int newest;

  /** Takes an answer to a request of a class; see {@link ResidualEstimator#add}. */
  public void add(int costClass, double response, double predicted, double service) {
    newest = Math.floorMod(costClass, FleetStatistics.COST_CLASSES);
    all.add(response, predicted, service);
    own(newest).add(response, predicted, service);
    samples[newest] = Math.min(samples[newest] + 1, MIN_SAMPLES);
  }

  private ResidualEstimator own(int costClass) {
    ResidualEstimator own = byClass[costClass];
    if (own == null) {
      own = new ResidualEstimator();
      byClass[costClass] = own;
    }
    return own;
  }

  /** Forgets half, because something changed. */
  public void halve() {
    all.halve();
    for (ResidualEstimator own : byClass) {
      if (own != null) {
        own.halve();
      }
    }
  }

  /**
   * Shows what was learned last, as far as it is beyond the noise. What tells a class apart fades
   * while others are answered: a class that is kept away from the node by it would never tell that
   * the node has changed.
   */
  public void publish(double serviceNanos) {
    set(FleetStatistics.COST_CLASSES, all.nanosBeyondNoise(serviceNanos));
    double band = CLASS_BAND * serviceNanos;
    for (int costClass = 0; costClass < FleetStatistics.COST_CLASSES; costClass++) {
      ResidualEstimator own = byClass[costClass];
      if (own == null) {
        continue;
      }
      if (costClass == newest) {
        if (samples[costClass] == MIN_SAMPLES) {
          set(costClass, own.nanosBeyond(all, band));
        }
      } else if (get(costClass) != 0) {
        own.moveToward(all, CLASS_DECAY);
        set(costClass, own.nanosBeyond(all, band));
      }
    }
  }

  private void set(int slot, double nanos) {
    published.set(slot, Double.doubleToRawLongBits(nanos));
  }

  private double get(int slot) {
    return Double.longBitsToDouble(published.get(slot));
  }

  /** The residual in nanoseconds for requests of a class. */
  public double nanos(int costClass) {
    return get(FleetStatistics.COST_CLASSES)
        + get(Math.floorMod(costClass, FleetStatistics.COST_CLASSES));
  }
}
