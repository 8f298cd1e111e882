package dev.weir.observe;

import java.util.function.DoubleSupplier;

/** Where a room shows its figures. */
public interface MetricRegistry {
  /**
   * Shows a value that goes up and down.
   *
   * @param name in Prometheus's spelling
   * @param value read at each scrape; cheap, never throws
   */
  MetricRegistry gauge(String name, String help, DoubleSupplier value);

  /**
   * Shows a value that only goes up.
   *
   * @param name in Prometheus's spelling, without {@code _total}
   */
  MetricRegistry counter(String name, String help, DoubleSupplier value);

  /** Shows a table with a row a node. */
  <T> MetricRegistry table(MetricTable<T> table);
}
