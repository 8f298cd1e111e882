package dev.weir.config.policy;

/**
 * What is otherwise for the requests of some routes; whatever the file does not say is as in the
 * section of the whole gateway.
 */
public record OverridesPolicy(@Inherits("traffic") TrafficPolicy traffic) {}
