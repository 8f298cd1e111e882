package dev.weir.config.policy;

/**
 * What answers look like.
 *
 * @param trimming what is left out of the answers to searches
 * @param sampling which searches are answered by estimates
 */
public record ResponsesPolicy(TrimmingPolicy trimming, SamplingPolicy sampling) {}
