package dev.weir.admission.pace;

import dev.weir.admission.head.Actions;
import dev.weir.admission.head.ClientAddress;
import dev.weir.admission.head.Globs;
import dev.weir.admission.head.Indices;
import dev.weir.admission.head.Names;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.model.RequestHead;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One rule in force: whom it matches, its accounts, what it did. Safe on any thread. */
final class PacedRule {
  /** A request that names more indices than this has the account of all such. */
  private static final int MOST_INDICES = 8;

  private static final String MANY = "_many";
  private static final String UNKNOWN = "_unknown";

  private final PacingPolicy.Rule policy;
  private final Accounts accounts;
  private final Done done;

  /** What a rule did since the gateway started, by its name. */
  static final class Done {
    final LongAdder passed = new LongAdder();
    final LongAdder delayed = new LongAdder();
    final LongAdder delayNanos = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder dryPassed = new LongAdder();
    final LongAdder dryDelayed = new LongAdder();
    final LongAdder dryRefused = new LongAdder();
  }

  private PacedRule(PacingPolicy.Rule policy, Accounts accounts, Done done) {
    this.policy = policy;
    this.accounts = accounts;
    this.done = done;
  }

  /**
   * Puts a rule in force.
   *
   * @param before the rule of that name until now, whose accounts stay where they count alike
   */
  static PacedRule of(
      PacingPolicy.Rule policy, int keys, @Nullable PacedRule before, LongSupplier nanoClock) {
    if (before == null) {
      return new PacedRule(policy, new Accounts(policy, keys, nanoClock), new Done());
    }
    if (!before.policy.countsAs(policy)) {
      return new PacedRule(policy, new Accounts(policy, keys, nanoClock), before.done);
    }
    before.accounts.most(keys);
    return new PacedRule(policy, before.accounts, before.done);
  }

  PacingPolicy.Rule policy() {
    return policy;
  }

  Accounts accounts() {
    return accounts;
  }

  Done done() {
    return done;
  }

  /** Whether a request has to keep to it. */
  boolean matches(RequestHead head, String tenant) {
    return (policy.methods().isEmpty() || policy.methods().contains(head.method()))
        && (policy.actions().isEmpty()
            || policy.actions().contains(Actions.of(head.method(), head.uri())))
        && (policy.tenants().isEmpty() || meets(policy.tenants(), tenant))
        && (policy.indices().isEmpty() || touches(head.uri()));
  }

  private boolean touches(String uri) {
    for (String index : Indices.of(uri)) {
      if (meets(policy.indices(), index)) {
        return true;
      }
    }
    return false;
  }

  private static boolean meets(List<String> patterns, String name) {
    for (String pattern : patterns) {
      if (Globs.meet(pattern, name)) {
        return true;
      }
    }
    return false;
  }

  /** What a request is counted under; none twice. */
  List<String> keys(RequestHead head, String tenant) {
    return switch (policy.by()) {
      case ALL -> List.of("");
      case TENANT -> List.of(tenant);
      case CLIENT_ADDRESS -> {
        String address = ClientAddress.of(head.remoteAddress());
        yield List.of(address == null ? UNKNOWN : address);
      }
      case INDEX -> {
        List<String> indices = Indices.of(head.uri());
        yield indices.size() > MOST_INDICES
            ? List.of(MANY)
            : indices.stream().map(Names::of).distinct().toList();
      }
    };
  }
}
