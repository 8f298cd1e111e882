package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.TrafficPolicy;
import dev.weir.routing.traffic.WeightedSplit;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A traffic policy made ready.
 *
 * @param name of the policy; empty for the one of the whole gateway
 * @param policy what the file says
 * @param weights in force, which may be others than the file's
 * @param split the draw by them
 * @param ways to the clusters by their names, where another one may answer instead
 * @param fixed the same for requests that are one cluster's alone
 */
record Plan(
    String name,
    TrafficPolicy policy,
    Map<String, Double> weights,
    WeightedSplit split,
    Map<String, ChosenCluster> ways,
    Map<String, ChosenCluster> fixed) {

  /** The way to the cluster that a request is drawn to. */
  ChosenCluster draw(AskedHead asked) {
    if (split.clusters().size() == 1) {
      ChosenCluster only = way(split.clusters().getFirst());
      return only.usable() || !asked.reads() ? only : insteadOf(only);
    }
    long key = WeightedSplit.hash(asked.key(policy.splitBy()));
    if (!asked.reads()) {
      return way(split.draw(key));
    }
    String drawn = split.draw(key, cluster -> way(cluster).usable());
    return drawn == null ? insteadOf(way(split.draw(key))) : way(drawn);
  }

  private ChosenCluster insteadOf(ChosenCluster lost) {
    ChosenCluster other = standby(lost.cluster().name());
    return other == null ? lost : other;
  }

  /** A usable cluster that may answer reads instead of one; null for none. */
  @Nullable ChosenCluster standby(String insteadOf) {
    Predicate<String> other = name -> !name.equals(insteadOf) && way(name).usable();
    for (String drawn : split.clusters()) {
      if (other.test(drawn)) {
        return way(drawn);
      }
    }
    String last = policy.rollback().to();
    return !last.isEmpty() && other.test(last) ? way(last) : null;
  }

  ChosenCluster way(String cluster) {
    return Objects.requireNonNull(
        ways.get(cluster), "got no such cluster (expected: a checked one)");
  }

  ChosenCluster fixed(String cluster) {
    return Objects.requireNonNull(
        fixed.get(cluster), "got no such cluster (expected: a checked one)");
  }
}
