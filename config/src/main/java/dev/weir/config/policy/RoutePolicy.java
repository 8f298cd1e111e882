package dev.weir.config.policy;

import java.util.List;
import java.util.Map;

/** Requests that a policy is for. All that is given must match. */
public record RoutePolicy(
    @ConfigKey(doc = "What it is called, in metrics and pages.") String name,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Requests all of whose indices, as the path names them, match one of these, such as"
                    + " logs-*; a path that names none matches * alone. Empty: all requests.")
        List<String> indices,
    @ConfigKey(value = "", max = "5", doc = "Of search, get, bulk, write, other; empty: all.")
        List<PacingPolicy.Action> actions,
    @ConfigKey(value = "", max = "9", doc = "Such as POST; empty: all.") List<String> methods,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Headers that a request must have, with patterns of their values, such as"
                    + " {X-Canary: \"*\"}.")
        Map<String, String> headers,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Names in HTTP basic credentials, as the client says them, or patterns such as"
                    + " app-*; empty: all requests.")
        List<String> users,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Tenants as admission.tenants tells them apart, or patterns such as gold-*; empty:"
                    + " all requests.")
        List<String> tenants,
    @ConfigKey(doc = "The one of policies that such requests are treated by.") String policy) {}
