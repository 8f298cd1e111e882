package dev.weir.config.policy;

/**
 * How searches are carried out.
 *
 * @param timePruning indices that are left out of searches by time
 */
public record SearchPolicy(TimePruningPolicy timePruning) {}
