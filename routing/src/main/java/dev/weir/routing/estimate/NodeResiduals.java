package dev.weir.routing.estimate;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One node's residuals: over all requests, and for each cost class that differs by more than the
 * noise; a class with few samples uses the overall residual. One thread updates at a time, any
 * thread reads.
 */
public final class NodeResiduals {
  private static final int MIN_SAMPLES = 50;

  /**
   * The minimum difference of a class from the others, in service times, to be treated separately.
   */
  private static final double CLASS_BAND = 0.5;

  private final ResidualEstimator all = new ResidualEstimator();
  private final @Nullable ResidualEstimator[] byClass =
      new ResidualEstimator[FleetStatistics.COST_CLASSES];
  private final int[] samples = new int[FleetStatistics.COST_CLASSES];

  /** The fraction of a class's difference that decays with each response to another class. */
  private static final double CLASS_DECAY = 1.0 / 500;

  /** As doubles: the differences of the classes; the last entry is the overall residual. */
  private final AtomicLongArray published = new AtomicLongArray(FleetStatistics.COST_CLASSES + 1);

  private int newest;

  /** Adds a response of a class; see {@link ResidualEstimator#add}. */
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

  /** Halves the residuals after a change of the node. */
  public void halve() {
    all.halve();
    for (ResidualEstimator own : byClass) {
      if (own != null) {
        own.halve();
      }
    }
  }

  /**
   * Publishes the residuals as far as they exceed the noise. A class's difference decays while
   * other classes get responses: otherwise a class that avoids the node because of its difference
   * would never show that the node has changed.
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

  /** Returns the residual for requests of a class in nanoseconds. */
  public double nanos(int costClass) {
    return get(FleetStatistics.COST_CLASSES)
        + get(Math.floorMod(costClass, FleetStatistics.COST_CLASSES));
  }
}
