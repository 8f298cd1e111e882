package dev.weir.cluster;

import dev.weir.model.NodeRequestRules;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.opensearch.action.search.CreatePitController;
import org.opensearch.action.search.StreamSearchTransportService;
import org.opensearch.action.search.TransportSearchAction;
import org.opensearch.action.search.pruning.SearchIndexPruningSettings;
import org.opensearch.action.support.AutoCreateIndex;
import org.opensearch.action.support.DestructiveOperations;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.cluster.routing.allocation.decider.AwarenessAllocationDecider;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.search.SearchService;
import org.opensearch.search.aggregations.MultiBucketConsumerService;
import org.opensearch.search.pipeline.SearchPipelineService;

/**
 * The cluster settings that a coordinating node reads. Transient settings take precedence over
 * persistent ones, these over the settings in the nodes' own files, and these over defaults. A
 * value that this version cannot parse counts as absent. Immutable.
 *
 * @param effective all settings, for {@link #get}
 * @param routing settings of the choice of copies
 * @param search settings of searches
 * @param writes settings of writes
 * @param requestRules the nodes' rules for REST requests
 */
public record ClusterViewSettings(
    Settings effective,
    RoutingSettings routing,
    SearchSettings search,
    WriteSettings writes,
    NodeRequestRules requestRules) {

  /**
   * Settings of the choice of copies.
   *
   * @param adaptive cluster.routing.use_adaptive_replica_selection
   * @param awarenessAttributes attributes whose local value is preferred; empty if they are ignored
   *     or there are none
   * @param weighted settings of weighted routing
   */
  public record RoutingSettings(
      boolean adaptive, List<String> awarenessAttributes, WeightedRoutingSettings weighted) {}

  /**
   * Settings of weighted routing.
   *
   * @param ignored cluster.routing.ignore_weighted_routing
   * @param strict cluster.routing.weighted.strict
   * @param failOpen cluster.routing.weighted.fail_open
   * @param defaultWeight cluster.routing.weighted.default_weight
   */
  public record WeightedRoutingSettings(
      boolean ignored, boolean strict, boolean failOpen, double defaultWeight) {}

  /**
   * Settings of searches.
   *
   * @param shardCountLimit action.search.shard_count.limit
   * @param maxBuckets search.max_buckets
   * @param allowPartialResults search.default_allow_partial_results
   * @param cancelAfter search.cancel_after_time_interval; -1 for never
   * @param pitInitKeepAlive point_in_time.init.keep_alive
   * @param features enabled features
   */
  public record SearchSettings(
      long shardCountLimit,
      int maxBuckets,
      boolean allowPartialResults,
      TimeValue cancelAfter,
      TimeValue pitInitKeepAlive,
      SearchFeatures features) {}

  /**
   * Enabled features of searches.
   *
   * @param phaseTook search.phase_took_enabled
   * @param indexPruning search.index_pruning.enabled
   * @param generatedPipelines whether cluster.search.enabled_system_generated_factories lists any:
   *     nodes then add processors to searches
   * @param streamSearch stream.search.enabled
   */
  public record SearchFeatures(
      boolean phaseTook, boolean indexPruning, boolean generatedPipelines, boolean streamSearch) {}

  /**
   * Settings of writes.
   *
   * @param autoCreate action.auto_create_index, as written
   * @param destructiveRequiresName action.destructive_requires_name
   */
  public record WriteSettings(String autoCreate, boolean destructiveRequiresName) {}

  /** The defaults. */
  public static final ClusterViewSettings DEFAULTS = of(Settings.EMPTY);

  /** The settings that OperationRouting reads; a view has its own instance of it. */
  private static final Set<Setting<?>> ROUTING_SETTINGS =
      Set.of(
          OperationRouting.USE_ADAPTIVE_REPLICA_SELECTION_SETTING,
          OperationRouting.IGNORE_AWARENESS_ATTRIBUTES_SETTING,
          OperationRouting.WEIGHTED_ROUTING_DEFAULT_WEIGHT,
          OperationRouting.WEIGHTED_ROUTING_FAILOPEN_ENABLED,
          OperationRouting.STRICT_WEIGHTED_SHARD_ROUTING_ENABLED,
          OperationRouting.IGNORE_WEIGHTED_SHARD_ROUTING,
          OperationRouting.STRICT_SEARCH_REPLICA_ROUTING_ENABLED,
          AwarenessAllocationDecider.CLUSTER_ROUTING_ALLOCATION_AWARENESS_ATTRIBUTE_SETTING);

  /** Parses the effective settings; no node has reported its rules. */
  public static ClusterViewSettings of(Settings effective) {
    return of(effective, NodeRequestRules.UNKNOWN);
  }

  /** Parses the effective settings. */
  static ClusterViewSettings of(Settings effective, NodeRequestRules requestRules) {
    List<String> awareness =
        read(
            effective,
            AwarenessAllocationDecider.CLUSTER_ROUTING_ALLOCATION_AWARENESS_ATTRIBUTE_SETTING);
    boolean ignoreAwareness = read(effective, OperationRouting.IGNORE_AWARENESS_ATTRIBUTES_SETTING);
    return new ClusterViewSettings(
        effective,
        new RoutingSettings(
            read(effective, OperationRouting.USE_ADAPTIVE_REPLICA_SELECTION_SETTING),
            ignoreAwareness ? List.of() : List.copyOf(awareness),
            new WeightedRoutingSettings(
                read(effective, OperationRouting.IGNORE_WEIGHTED_SHARD_ROUTING),
                read(effective, OperationRouting.STRICT_WEIGHTED_SHARD_ROUTING_ENABLED),
                read(effective, OperationRouting.WEIGHTED_ROUTING_FAILOPEN_ENABLED),
                read(effective, OperationRouting.WEIGHTED_ROUTING_DEFAULT_WEIGHT))),
        new SearchSettings(
            read(effective, TransportSearchAction.SHARD_COUNT_LIMIT_SETTING),
            read(effective, MultiBucketConsumerService.MAX_BUCKET_SETTING),
            read(effective, SearchService.DEFAULT_ALLOW_PARTIAL_SEARCH_RESULTS),
            read(effective, TransportSearchAction.SEARCH_CANCEL_AFTER_TIME_INTERVAL_SETTING),
            read(effective, CreatePitController.PIT_INIT_KEEP_ALIVE),
            new SearchFeatures(
                read(effective, TransportSearchAction.SEARCH_PHASE_TOOK_ENABLED),
                read(effective, SearchIndexPruningSettings.ENABLED),
                !read(effective, SearchPipelineService.ENABLED_SYSTEM_GENERATED_FACTORIES_SETTING)
                    .isEmpty(),
                read(effective, StreamSearchTransportService.STREAM_SEARCH_ENABLED))),
        new WriteSettings(
            effective.get(AutoCreateIndex.AUTO_CREATE_INDEX_SETTING.getKey(), "true"),
            read(effective, DestructiveOperations.REQUIRES_NAME_SETTING)),
        requestRules);
  }

  /**
   * Returns the value of any setting; its default if the cluster's value does not parse. It parses
   * the value on each call: what each request needs is a component of this record.
   */
  public <T> T get(Setting<T> setting) {
    return read(effective, setting);
  }

  /** Returns OpenSearch's own routing with these settings. */
  OperationRouting operationRouting() {
    Settings.Builder readable = Settings.builder();
    for (Setting<?> setting : ROUTING_SETTINGS) {
      if (setting.exists(effective) && parses(effective, setting)) {
        readable.copy(setting.getKey(), effective);
      }
    }
    Settings own = readable.build();
    return new OperationRouting(own, new ClusterSettings(own, new HashSet<>(ROUTING_SETTINGS)));
  }

  private static <T> T read(Settings settings, Setting<T> setting) {
    try {
      return setting.get(settings);
    } catch (IllegalArgumentException unparseable) {
      return setting.get(Settings.EMPTY);
    }
  }

  private static boolean parses(Settings settings, Setting<?> setting) {
    try {
      setting.get(settings);
      return true;
    } catch (IllegalArgumentException unparseable) {
      return false;
    }
  }
}
