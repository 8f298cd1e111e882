package dev.weir.observe;

import dev.weir.observe.admin.AdminPageRegistry;
import java.util.Map;

/**
 * Shows operators what one part of the gateway does: its metrics, its sections of {@code /stats},
 * and its admin pages. A feature has its reporter beside its code; the gateway's list of features
 * registers it. A reporter only reads. {@link #bind} and {@link #addPages} are called once, while
 * the gateway starts; {@link #sections} is called on virtual threads, several at once.
 */
public interface StatsReporter {
  /** Registers the metrics. */
  void bind(MetricRegistry metrics);

  /** The current sections of {@code /stats}, by name. */
  default Map<String, Object> sections() {
    return Map.of();
  }

  /** Adds the admin pages. */
  default void addPages(AdminPageRegistry site) {}
}
