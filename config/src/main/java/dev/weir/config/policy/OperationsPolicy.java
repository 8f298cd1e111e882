package dev.weir.config.policy;

import java.util.List;

/** What operators may have the gateway do to data nodes. */
public record OperationsPolicy(
    @ConfigKey(
            value = "",
            doc =
                "Command by which POST /operations/restart-node and /operations/rolling-restart"
                    + " restart a node, run by sh -c on the gateway's machine with {name}, {host}"
                    + " and {id} replaced, such as: ssh {host} systemctl restart opensearch. Empty:"
                    + " these requests are refused.")
        String restartCommand,
    @ConfigKey(
            value = "",
            doc =
                "Command that POST /operations/window runs while a node gets no requests, such as:"
                    + " ssh {host} fstrim -a. Empty: these requests are refused.")
        String windowCommand,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "URLs of the admin ports of all other gateways in front of the same clusters, such"
                    + " as http://10.0.0.2:9250: operations wait until no gateway sends a drained"
                    + " node requests. They have the same admin token.")
        List<String> otherAdminAddresses) {}
