package dev.weir.gateway.authorization;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Tells plugins that leave REST requests as they are from those that may filter them. A plugin
 * reports its name, not what it extends, so every plugin that is not known here may filter.
 * Immutable.
 *
 * @param trusted the names of further plugins that filter nothing
 */
record KnownPlugins(Set<String> trusted) {
  private static final String SECURITY = "opensearch-security";
  private static final String SECURITY_CLASS = "org.opensearch.security.OpenSearchSecurityPlugin";

  /** Plugins of the OpenSearch project that wrap no REST handlers. */
  private static final Set<String> NAMES =
      Set.of(
          "analysis-icu",
          "analysis-kuromoji",
          "analysis-nori",
          "analysis-phonenumber",
          "analysis-phonetic",
          "analysis-smartcn",
          "analysis-stempel",
          "analysis-ukrainian",
          "crypto-kms",
          "discovery-azure-classic",
          "discovery-ec2",
          "discovery-gce",
          "ingest-attachment",
          "ingestion-kafka",
          "ingestion-kinesis",
          "mapper-annotated-text",
          "mapper-murmur3",
          "mapper-size",
          "opensearch-alerting",
          "opensearch-anomaly-detection",
          "opensearch-asynchronous-search",
          "opensearch-cross-cluster-replication",
          "opensearch-custom-codecs",
          "opensearch-flow-framework",
          "opensearch-geospatial",
          "opensearch-index-management",
          "opensearch-job-scheduler",
          "opensearch-knn",
          "opensearch-ltr",
          "opensearch-ml",
          "opensearch-neural-search",
          "opensearch-notifications",
          "opensearch-notifications-core",
          "opensearch-observability",
          "opensearch-performance-analyzer",
          "opensearch-reports-scheduler",
          "opensearch-search-relevance",
          "opensearch-security-analytics",
          "opensearch-skills",
          "opensearch-sql",
          "opensearch-system-templates",
          "query-insights",
          "repository-azure",
          "repository-gcs",
          "repository-hdfs",
          "repository-s3",
          "store-smb",
          "telemetry-otel",
          "transport-grpc",
          "transport-nio",
          "transport-reactor-netty4",
          "weir-data-node");

  /** Where the classes of OpenSearch's modules and of Weir's own plugin are. */
  private static final List<String> MODULE_PACKAGES =
      List.of(
          "dev.weir.node.",
          "org.opensearch.analysis.common.",
          "org.opensearch.index.mapper.",
          "org.opensearch.index.rankeval.",
          "org.opensearch.index.reindex.",
          "org.opensearch.ingest.common.",
          "org.opensearch.join.",
          "org.opensearch.painless.",
          "org.opensearch.percolator.",
          "org.opensearch.script.mustache.",
          "org.opensearch.search.aggregations.matrix.",
          "org.opensearch.search.pipeline.common.",
          "org.opensearch.transport.Netty4");

  KnownPlugins {
    trusted = Set.copyOf(trusted);
  }

  /** Returns whether one of these plugins is OpenSearch's security plugin. */
  static boolean hasSecurity(Collection<String> plugins) {
    return plugins.contains(SECURITY) || plugins.contains(SECURITY_CLASS);
  }

  /** Returns whether a plugin other than the security plugin may filter requests. */
  boolean hasUnknownBesideSecurity(Collection<String> plugins) {
    return !Set.of(SECURITY, SECURITY_CLASS).containsAll(unknown(plugins));
  }

  /** Returns the plugins that may filter requests, in alphabetical order. */
  List<String> unknown(Collection<String> plugins) {
    List<String> unknown = new ArrayList<>();
    for (String plugin : plugins) {
      if (!NAMES.contains(plugin)
          && !trusted.contains(plugin)
          && MODULE_PACKAGES.stream().noneMatch(plugin::startsWith)) {
        unknown.add(plugin);
      }
    }
    unknown.sort(null);
    return unknown;
  }
}
