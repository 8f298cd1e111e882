package dev.weir.config.policy;

import java.util.List;
import java.util.Map;

/** The requests that follow a policy. All conditions that are given must match. */
public record RoutePolicy(
    @ConfigKey(doc = "Name of the route, in metrics and on pages.") String name,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Match requests all of whose indices, as the path names them, match one of these"
                    + " patterns, such as logs-*. A path without an index matches only *. Empty:"
                    + " all requests.")
        List<String> indices,
    @ConfigKey(
            value = "",
            max = "5",
            doc = "Match these kinds of request: search, get, bulk, write, other. Empty: all.")
        List<PacingPolicy.Action> actions,
    @ConfigKey(value = "", max = "9", doc = "Match these HTTP methods, such as POST. Empty: all.")
        List<String> methods,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Match requests that have all of these headers, with patterns for their values,"
                    + " such as {X-Canary: \"*\"}.")
        Map<String, String> headers,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Match these user names of HTTP basic authentication, as the client sends them, or"
                    + " patterns such as app-*. The gateway does not check the password. Empty: all"
                    + " requests.")
        List<String> users,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Match these tenants, as admission.tenants tells them apart, or patterns such as"
                    + " gold-*. Empty: all requests.")
        List<String> tenants,
    @ConfigKey(doc = "Name of the entry under policies that these requests follow.")
        String policy) {}
