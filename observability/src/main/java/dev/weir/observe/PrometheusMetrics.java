package dev.weir.observe;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/** All metrics, in the text format of Prometheus. Safe on any thread. */
public final class PrometheusMetrics implements MetricRegistry, AutoCloseable {
  /** The content type of {@link #scrape}. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /**
   * Strong references to the sources of counters: the registry holds them weakly, and a collected
   * source would freeze its counter.
   */
  private final List<DoubleSupplier> requestCounters = new ArrayList<>();

  private final PrometheusMeterRegistry registry;
  private final JvmGcMetrics gcMetrics = new JvmGcMetrics();
  private final RequestMetrics requests;
  private final SearchMetrics searches;

  /** Creates the registry with the metrics of the JVM. */
  public PrometheusMetrics() {
    registry =
        new PrometheusMeterRegistry(
            PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    gcMetrics.bindTo(registry);
    requests = new RequestMetrics(registry);
    searches = new SearchMetrics(registry);
  }

  /** Counts finished requests. */
  public RequestMetrics requests() {
    return requests;
  }

  /** Measures the phases of searches. */
  public SearchMetrics searches() {
    return searches;
  }

  @Override
  public PrometheusMetrics gauge(String name, String help, DoubleSupplier value) {
    Gauge.builder(name, value, DoubleSupplier::getAsDouble)
        .description(help)
        .strongReference(true)
        .register(registry);
    return this;
  }

  @Override
  public synchronized PrometheusMetrics counter(String name, String help, DoubleSupplier value) {
    requestCounters.add(value);
    FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
        .description(help)
        .register(registry);
    return this;
  }

  @Override
  public <T> PrometheusMetrics table(MetricTable<T> table) {
    registry.getPrometheusRegistry().register(table);
    return this;
  }

  /** All metrics as text of the type {@link #CONTENT_TYPE}. */
  public String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    gcMetrics.close();
    registry.close();
  }
}
