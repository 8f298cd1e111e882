package dev.weir.gateway.operate;

import dev.weir.gateway.command.UsageException;
import dev.weir.operate.OperationOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options about how an operation proceeds. */
final class PaceOptions {
  @Option(
      names = "--exec",
      paramLabel = "COMMAND",
      description =
          "Run by sh -c for each node, with {name}, {host} and {id} replaced, such as 'ssh {host}"
              + " systemctl restart opensearch'. A status other than 0 ends the operation.")
  private @Nullable String command;

  @Option(
      names = "--drain-timeout",
      paramLabel = "TIME",
      defaultValue = "60s",
      converter = DurationText.class,
      description = "How long to wait for requests in flight to a drained node. Default: 60s.")
  private Duration drainTimeout = Duration.ofSeconds(60);

  @Option(
      names = "--return-timeout",
      paramLabel = "TIME",
      defaultValue = "10m",
      converter = DurationText.class,
      description = "How long a node may take to leave and join again. Default: 10m.")
  private Duration returnTimeout = Duration.ofMinutes(10);

  @Option(
      names = "--green-timeout",
      paramLabel = "TIME",
      defaultValue = "4h",
      converter = DurationText.class,
      description = "How long the cluster may take to become green again. Default: 4h.")
  private Duration greenTimeout = Duration.ofHours(4);

  @Option(
      names = "--ramp",
      paramLabel = "TIME",
      defaultValue = "60s",
      converter = DurationText.class,
      description = "How long a node's share of requests rises. Default: 60s.")
  private Duration ramp = Duration.ofSeconds(60);

  @Option(
      names = "--max-p99-ratio",
      paramLabel = "RATIO",
      defaultValue = "1.3",
      description =
          "Recoveries slow down while the gateways' p99 is over this multiple of what it was"
              + " before. Default: 1.3.")
  private double maxP99Ratio = 1.3;

  @Option(
      names = "--no-zone-weights",
      description =
          "Leave OpenSearch's weights of zones alone. By default nodes send a zone no searches"
              + " while all of its data nodes are drained, if the cluster has awareness"
              + " attributes.")
  private boolean noZoneWeights;

  boolean hasCommand() {
    return !command().isEmpty();
  }

  /** The command for nodes; empty for none. */
  String command() {
    return command == null ? "" : command.strip();
  }

  OperationOptions toOptions() throws UsageException {
    try {
      return new OperationOptions(
              command(),
              drainTimeout,
              returnTimeout,
              greenTimeout,
              ramp,
              maxP99Ratio,
              !noZoneWeights)
          .checked();
    } catch (IllegalArgumentException e) {
      throw new UsageException(e);
    }
  }
}
