package dev.weir.admission.pace;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.PacingPolicy.LimitKey;
import dev.weir.config.policy.PacingPolicy.Rule;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Builds pacing rules for tests, from a rule of one request a second. Immutable. */
record TestPacingRule(Rule rule) {
  static TestPacingRule named(String name) {
    return new TestPacingRule(
        new Rule(
            name,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            LimitKey.ALL,
            1,
            1,
            new ByteSize(0),
            new ByteSize(0),
            false,
            Duration.ZERO,
            false));
  }

  /** A policy of these rules, each with at most so many keys. */
  static PacingPolicy policy(int maxKeys, TestPacingRule... rules) {
    return new PacingPolicy(maxKeys, Stream.of(rules).map(TestPacingRule::rule).toList());
  }

  TestPacingRule matching(List<String> tenants, List<String> indices, Action... actions) {
    return new TestPacingRule(
        new Rule(
            rule.name(),
            tenants,
            indices,
            List.of(actions),
            rule.methods(),
            rule.limitBy(),
            rule.requestsPerSecond(),
            rule.maxBurstRequests(),
            rule.bytesPerSecond(),
            rule.maxBurstBytes(),
            rule.countResponseBytes(),
            rule.maxDelay(),
            rule.dryRun()));
  }

  TestPacingRule by(LimitKey by) {
    return at(by, rule.requestsPerSecond(), rule.maxBurstRequests(), 0, 0);
  }

  TestPacingRule requests(double perSecond, double burst) {
    return at(rule.limitBy(), perSecond, burst, 0, 0);
  }

  TestPacingRule bytes(long perSecond, long burst) {
    return at(rule.limitBy(), 0, 0, perSecond, burst);
  }

  /** Bounds the bytes besides the requests. */
  TestPacingRule withBytes(long perSecond, long burst) {
    return at(rule.limitBy(), rule.requestsPerSecond(), rule.maxBurstRequests(), perSecond, burst);
  }

  private TestPacingRule at(
      LimitKey by, double requests, double burst, long bytes, long bytesBurst) {
    return new TestPacingRule(
        new Rule(
            rule.name(),
            rule.tenants(),
            rule.indices(),
            rule.actions(),
            rule.methods(),
            by,
            requests,
            burst,
            new ByteSize(bytes),
            new ByteSize(bytesBurst),
            rule.countResponseBytes(),
            rule.maxDelay(),
            rule.dryRun()));
  }

  TestPacingRule holding(Duration maxDelay) {
    return with(maxDelay, rule.countResponseBytes(), rule.dryRun());
  }

  TestPacingRule dry() {
    return with(rule.maxDelay(), rule.countResponseBytes(), true);
  }

  TestPacingRule countingResponses() {
    return with(rule.maxDelay(), true, rule.dryRun());
  }

  private TestPacingRule with(Duration maxDelay, boolean countResponses, boolean dryRun) {
    return new TestPacingRule(
        new Rule(
            rule.name(),
            rule.tenants(),
            rule.indices(),
            rule.actions(),
            List.of(),
            rule.limitBy(),
            rule.requestsPerSecond(),
            rule.maxBurstRequests(),
            rule.bytesPerSecond(),
            rule.maxBurstBytes(),
            countResponses,
            maxDelay,
            dryRun));
  }
}
