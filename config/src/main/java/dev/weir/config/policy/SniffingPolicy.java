package dev.weir.config.policy;

import java.util.List;

/** What clients find that ask for the nodes' REST addresses, so as to go to them by themselves. */
public record SniffingPolicy(
    @ConfigKey(
            value = "gateways",
            doc =
                "gateways: such a client stays with the gateways; nodes: it finds the nodes and"
                    + " goes past the gateways.")
        AdvertisedAddresses advertise,
    @ConfigKey(
            value = "",
            max = "256",
            doc =
                "Addresses of all gateways, as clients reach them; empty: the one that the client"
                    + " itself used.")
        List<HostPort> gatewayAddresses) {

  /** Whom such a client finds. */
  public enum AdvertisedAddresses {
    /** Gateways. */
    GATEWAYS,
    /** The nodes, as they say themselves. */
    NODES
  }
}
