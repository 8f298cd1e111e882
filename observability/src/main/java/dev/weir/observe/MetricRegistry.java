package dev.weir.observe;

import java.util.function.DoubleSupplier;

/** Registers the metrics of a feature. */
public interface MetricRegistry {
  /**
   * Registers a gauge.
   *
   * @param name the Prometheus name
   * @param value read at each scrape; must be cheap and never throw
   */
  MetricRegistry gauge(String name, String help, DoubleSupplier value);

  /**
   * Registers a counter.
   *
   * @param name the Prometheus name without {@code _total}
   */
  MetricRegistry counter(String name, String help, DoubleSupplier value);

  /** Registers a table with one row per node. */
  <T> MetricRegistry table(MetricTable<T> table);
}
