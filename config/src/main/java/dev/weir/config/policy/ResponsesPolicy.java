package dev.weir.config.policy;

/**
 * What answers look like.
 *
 * @param trimming what is left out of the answers to searches
 * @param export how all that a search matches is answered as one stream
 * @param sampling which searches are answered by estimates
 */
public record ResponsesPolicy(
    TrimmingPolicy trimming, ExportPolicy export, SamplingPolicy sampling) {}
