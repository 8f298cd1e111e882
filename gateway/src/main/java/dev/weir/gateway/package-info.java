/**
 * Assembles the gateway and runs it: the command line, the life cycle, the lists of features, and
 * the pipeline that each request passes. A feature is one package with its filter or handler, its
 * metrics and its section of {@code /stats}, and one registration in {@code GatewayFeatures} or
 * {@code ClusterFeatures}. Its policy record is in {@code dev.weir.config.policy} with all others,
 * because one file, one schema and one reference describe the whole configuration.
 */
@NullMarked
package dev.weir.gateway;

import org.jspecify.annotations.NullMarked;
