package dev.weir.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class GatewayInstanceTest {
  @Test
  void measureUptimeWithTheMonotonicClock() {
    AtomicLong nanos = new AtomicLong(-5_000_000);
    GatewayInstance life = GatewayInstance.start(() -> 1_000, nanos::get);
    nanos.set(1_500_000_000);
    Map<String, Object> shown = life.toMap(true);
    assertThat(shown)
        .containsEntry("started_at", "1970-01-01T00:00:01Z")
        .containsEntry("uptime_ms", 1505L)
        .containsEntry("draining", true)
        .containsEntry("pid", ProcessHandle.current().pid());
    assertThat(shown.get("cpu_ms")).isInstanceOf(Long.class);
  }
}
