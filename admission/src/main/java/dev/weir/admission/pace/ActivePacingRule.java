package dev.weir.admission.pace;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.admission.head.ClientAddress;
import dev.weir.admission.head.ClientNameSanitizer;
import dev.weir.admission.head.GlobPatterns;
import dev.weir.admission.head.IndexPathParser;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.model.RequestHead;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One pacing rule in force: matches requests, holds the buckets by key, counts decisions. Safe on
 * any thread.
 */
final class ActivePacingRule {
  /** Requests that name more indices than this share one key. */
  private static final int MAX_INDICES = 8;

  private static final String MANY_INDICES_KEY = "_many";
  private static final String UNKNOWN_KEY = "_unknown";

  private final PacingPolicy.Rule policy;
  private final KeyBucketsCache keyBuckets;
  private final Counters counters;

  /**
   * A rule's counters since the gateway started. They survive a reload if the rule keeps its name.
   */
  static final class Counters {
    final LongAdder passed = new LongAdder();
    final LongAdder delayed = new LongAdder();
    final LongAdder delayNanos = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder dryRunPassed = new LongAdder();
    final LongAdder dryRunDelayed = new LongAdder();
    final LongAdder dryRunRejected = new LongAdder();
  }

  private ActivePacingRule(PacingPolicy.Rule policy, KeyBucketsCache accounts, Counters done) {
    this.policy = policy;
    this.keyBuckets = accounts;
    this.counters = done;
  }

  /**
   * Puts a rule in force.
   *
   * @param before the rule with this name until now; its buckets stay if both rules count alike
   */
  static ActivePacingRule create(
      PacingPolicy.Rule policy,
      int keys,
      @Nullable ActivePacingRule before,
      LongSupplier nanoClock) {
    if (before == null) {
      return new ActivePacingRule(
          policy, new KeyBucketsCache(policy, keys, nanoClock), new Counters());
    }
    if (!before.policy.hasSameCounters(policy)) {
      return new ActivePacingRule(
          policy, new KeyBucketsCache(policy, keys, nanoClock), before.counters);
    }
    before.keyBuckets.setMaxKeys(keys);
    return new ActivePacingRule(policy, before.keyBuckets, before.counters);
  }

  PacingPolicy.Rule policy() {
    return policy;
  }

  KeyBucketsCache keyBuckets() {
    return keyBuckets;
  }

  Counters counters() {
    return counters;
  }

  /** Returns whether the rule applies to a request. */
  boolean matches(RequestHead head, String tenant) {
    return (policy.methods().isEmpty() || policy.methods().contains(head.method()))
        && (policy.actions().isEmpty()
            || policy.actions().contains(ActionClassifier.classify(head.method(), head.uri())))
        && (policy.tenants().isEmpty() || matchesAny(policy.tenants(), tenant))
        && (policy.indices().isEmpty() || matchesIndices(head.uri()));
  }

  private boolean matchesIndices(String uri) {
    for (String index : IndexPathParser.parse(uri)) {
      if (matchesAny(policy.indices(), index)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matchesAny(List<String> patterns, String name) {
    for (String pattern : patterns) {
      if (GlobPatterns.canOverlap(pattern, name)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the distinct keys that a request counts under. */
  List<String> resolveKeys(RequestHead head, String tenant) {
    return switch (policy.limitBy()) {
      case ALL -> List.of("");
      case TENANT -> List.of(tenant);
      case CLIENT_ADDRESS -> {
        String address = ClientAddress.of(head.remoteAddress());
        yield List.of(address == null ? UNKNOWN_KEY : address);
      }
      case INDEX -> {
        List<String> indices = IndexPathParser.parse(head.uri());
        yield indices.size() > MAX_INDICES
            ? List.of(MANY_INDICES_KEY)
            : indices.stream().map(ClientNameSanitizer::sanitize).distinct().toList();
      }
    };
  }
}
