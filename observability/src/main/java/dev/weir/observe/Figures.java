package dev.weir.observe;

import java.util.function.DoubleSupplier;

/** Where a room shows its figures. */
public interface Figures {
  /**
   * Shows a value that goes up and down.
   *
   * @param name in Prometheus's spelling
   * @param value read at each scrape; cheap, never throws
   */
  Figures gauge(String name, String help, DoubleSupplier value);

  /**
   * Shows a value that only goes up.
   *
   * @param name in Prometheus's spelling, without {@code _total}
   */
  Figures counter(String name, String help, DoubleSupplier value);

  /** Shows a table with a row a node. */
  <T> Figures table(NodeTable<T> table);
}
