package dev.weir.config.policy;

/**
 * What answers look like.
 *
 * @param trimming what is left out of the answers to searches
 */
public record ResponsesPolicy(TrimmingPolicy trimming) {}
