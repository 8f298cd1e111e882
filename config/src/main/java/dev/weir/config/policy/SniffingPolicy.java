package dev.weir.config.policy;

import java.util.List;

/** What the gateway tells clients that ask for the nodes' REST addresses (sniffing). */
public record SniffingPolicy(
    @ConfigKey(
            value = "gateways",
            doc =
                "What clients find that sniff for node addresses. gateways: the gateways, so that"
                    + " they stay with them. nodes: the nodes, so that they bypass the gateways.")
        AdvertisedAddresses advertise,
    @ConfigKey(
            value = "",
            max = "256",
            doc =
                "Addresses of all gateways, as clients reach them. Empty: the address that the"
                    + " client itself used.")
        List<HostPort> gatewayAddresses) {

  /** The addresses that such clients get. */
  public enum AdvertisedAddresses {
    /** Those of gateways. */
    GATEWAYS,
    /** Those of the nodes, as the nodes report them. */
    NODES
  }
}
