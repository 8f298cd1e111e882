package dev.weir.routing.estimate;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One node's residuals: over all requests, and for each class of cost that differs from them by
 * more than the noise explains; a class that is little known counts as all do. Learns on one thread
 * at a time, is read on any.
 */
public final class Residuals {
  private static final int KNOWN = 50;

  /** By how many service times a class must differ from the others to be taken apart. */
  private static final double WIDE = 0.5;

  private final Residual all = new Residual();
  private final @Nullable Residual[] byClass = new Residual[Fleet.CLASSES];
  private final int[] samples = new int[Fleet.CLASSES];

  /** How much of what tells a class apart is forgotten with each answer to another class. */
  private static final double FORGOTTEN = 1.0 / 500;

  /** As doubles: by how much classes differ from all; the last one is that of all. */
  private final AtomicLongArray published = new AtomicLongArray(Fleet.CLASSES + 1);

  private int newest;

  /** Takes an answer to a request of a class; see {@link Residual#add}. */
  public void add(int costClass, double response, double predicted, double service) {
    newest = Math.floorMod(costClass, Fleet.CLASSES);
    all.add(response, predicted, service);
    own(newest).add(response, predicted, service);
    samples[newest] = Math.min(samples[newest] + 1, KNOWN);
  }

  private Residual own(int costClass) {
    Residual own = byClass[costClass];
    if (own == null) {
      own = new Residual();
      byClass[costClass] = own;
    }
    return own;
  }

  /** Forgets half, because something changed. */
  public void halve() {
    all.halve();
    for (Residual own : byClass) {
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
    set(Fleet.CLASSES, all.nanosBeyondNoise(serviceNanos));
    double band = WIDE * serviceNanos;
    for (int costClass = 0; costClass < Fleet.CLASSES; costClass++) {
      Residual own = byClass[costClass];
      if (own == null) {
        continue;
      }
      if (costClass == newest) {
        if (samples[costClass] == KNOWN) {
          set(costClass, own.nanosBeyond(all, band));
        }
      } else if (get(costClass) != 0) {
        own.approach(all, FORGOTTEN);
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
    return get(Fleet.CLASSES) + get(Math.floorMod(costClass, Fleet.CLASSES));
  }
}
