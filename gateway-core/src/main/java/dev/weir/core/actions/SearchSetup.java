package dev.weir.core.actions;

import dev.weir.config.policy.SamplingPolicy;
import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.core.actions.prune.TimePruning;
import dev.weir.core.actions.sample.Sampling;
import dev.weir.core.actions.trim.Trimming;
import dev.weir.cluster.IndexNames;
import dev.weir.core.coordinate.Environment;
import dev.weir.core.reduce.ReduceServices;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicy;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.ReplicaSelector;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the search actions are made of.
 *
 * @param gatewayId what nodes know this gateway as in the parent ids of tasks; unique among
 *     gateways
 * @param registries OpenSearch's registries
 * @param names resolves index names
 * @param recent puts copies in order, and keeps why
 * @param environment what searches need to be carried out
 * @param reductions what reductions need
 * @param partialResults whether shards of searches with a deadline get a timeout a little before
 *     it, by their policies
 * @param trimming says what is left out of answers
 * @param pruning leaves shards out by time; null for never
 * @param sampling says what is answered by estimates
 */
public record SearchSetup(
    String gatewayId,
    OpenSearchRegistries registries,
    IndexNames names,
    RecentChoices recent,
    Environment environment,
    ReduceServices reductions,
    Predicate<RequestPolicy> partialResults,
    Trimming trimming,
    @Nullable TimePruning pruning,
    Sampling sampling) {
  /** A setup in which shards are given the time that their requests say. */
  public SearchSetup(
      String gatewayId,
      OpenSearchRegistries registries,
      IndexNames names,
      RecentChoices recent,
      Environment environment,
      ReduceServices reductions) {
    this(
        gatewayId,
        registries,
        names,
        recent,
        environment,
        reductions,
        policy -> false,
        new Trimming(new PolicyCompiler<>(TrimmingPolicy.none())),
        null,
        new Sampling(new PolicyCompiler<>(SamplingPolicy.STANDARD), () -> 0));
  }

  ReplicaSelector selector() {
    return recent.selector();
  }
}
