package dev.weir.config.policy;

import java.util.List;

/** What clients find that ask for the nodes' REST addresses, so as to go to them by themselves. */
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

  /** Whom such a client finds. */
  public enum AdvertisedAddresses {
    /** Gateways. */
    GATEWAYS,
    /** The nodes, as they say themselves. */
    NODES
  }
}
