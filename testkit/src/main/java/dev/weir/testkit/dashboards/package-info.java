/**
 * Dashboards as Grafana and OpenSearch Dashboards request them, and the log lines that they show.
 *
 * <p>Tests and benchmarks load {@link dev.weir.testkit.dashboards.DashboardLogs}, send the {@link
 * dev.weir.testkit.dashboards.DashboardRequest requests} of a {@link
 * dev.weir.testkit.dashboards.DashboardRange range} and compare the {@link
 * dev.weir.testkit.dashboards.DashboardAnswer answers} of two endpoints. All values are immutable;
 * any thread.
 */
@NullMarked
package dev.weir.testkit.dashboards;

import org.jspecify.annotations.NullMarked;
