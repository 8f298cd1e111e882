package dev.weir.bench.secured;

import dev.weir.bench.MeasuredGateway;
import dev.weir.testkit.secured.ClusterCertificates;
import dev.weir.testkit.secured.IssuedCertificate;
import dev.weir.testkit.secured.SecuredCluster;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** Starts gateways with the same mode in front of a secured and of an open cluster. */
final class SecuredGateways {
  private static final String SINGLE_SHARD_BULKS =
      "bulk: {single-shard: {indices: [\"%s*\"]}}"
          .formatted(SingleShardBulkComparison.SINGLE_SHARD_INDEX);

  private SecuredGateways() {}

  /** Starts a gateway with TLS on its port, on transport and on the nodes' REST ports. */
  static MeasuredGateway inFrontOf(SecuredCluster cluster, String authorization)
      throws IOException {
    ClusterCertificates certificates = cluster.certificates();
    IssuedCertificate gateway = certificates.gateway();
    String tls =
        "tls: {enabled: true, certificate-file: \"%s\", key-file: \"%s\"}"
            .formatted(gateway.certificateFile(), gateway.keyFile());
    String sections =
        """
        clusters:
          main:
            seeds: [%1$s]
            authorization: %2$s
            transport-tls:
              enabled: true
              ca-file: "%3$s"
              certificate-file: "%4$s"
              key-file: "%5$s"
            rest-tls:
              enabled: true
              ca-file: "%3$s"
        %6$s
        """
            .formatted(
                seeds(cluster.nodes().seeds()),
                authorization,
                certificates.authority().certificateFile(),
                gateway.certificateFile(),
                gateway.keyFile(),
                SINGLE_SHARD_BULKS);
    return MeasuredGateway.startWithConfig(tls, sections);
  }

  /** Starts a gateway without TLS. */
  static MeasuredGateway inFrontOf(List<String> openSeeds, String authorization)
      throws IOException {
    return MeasuredGateway.startWithConfig(
        "clusters:\n  main:\n    seeds: [%s]\n    authorization: %s\n%s\n"
            .formatted(seeds(openSeeds), authorization, SINGLE_SHARD_BULKS));
  }

  private static String seeds(List<String> seeds) {
    return seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
  }
}
