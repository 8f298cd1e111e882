package dev.weir.config.policy;

/**
 * How searches are executed.
 *
 * @param timePruning which indices a search skips because of its time range
 */
public record SearchPolicy(TimePruningPolicy timePruning) {}
