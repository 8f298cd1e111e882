package dev.weir.bench.overload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.ResultChecks;
import dev.weir.testkit.RestReply;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OversizedRequestsTest {
  private static boolean isMet(Set<Integer> statuses, boolean isBulk, RestReply... replies) {
    ResultChecks checks =
        new ResultChecks(
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
    OversizedRequests.OversizedRequest request =
        new OversizedRequests.OversizedRequest(statuses, isBulk, () -> replies[0]);
    OversizedRequests.check(checks, "oversized", request, List.of(replies));
    return checks.exitCode() == 0;
  }

  private static RestReply reply(int status, String body) {
    return new RestReply("POST /", status, body);
  }

  @Test
  void allowARejectionOfAnAggregationEachTime() {
    Set<Integer> allowed = Set.of(200, 429);
    assertThat(isMet(allowed, false, reply(429, ""), reply(429, ""))).isTrue();
    assertThat(isMet(allowed, false, reply(429, ""), reply(200, ""))).isFalse();
  }

  @Test
  void allowNoFailureEvenIfItIsTheSameEachTime() {
    assertThat(isMet(Set.of(200, 429), false, reply(500, ""), reply(500, ""))).isFalse();
    assertThat(isMet(Set.of(200), true, reply(429, ""))).isFalse();
  }

  @Test
  void requireThatABulkWroteAllDocuments() {
    assertThat(isMet(Set.of(200), true, reply(200, "{\"errors\":false}"))).isTrue();
    assertThat(isMet(Set.of(200), true, reply(200, "{\"errors\":true}"))).isFalse();
  }
}
