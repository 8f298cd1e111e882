package dev.weir.config.policy;

/**
 * How searches are executed.
 *
 * @param timePruning which indices a search skips because of its time range
 * @param warmUp how new copies of shards are warmed before clients' searches reach them
 */
public record SearchPolicy(TimePruningPolicy timePruning, WarmUpPolicy warmUp) {}
