package dev.weir.config.policy;

/**
 * The forms of responses.
 *
 * @param trimming what search responses leave out
 * @param export streams of all hits of a search
 * @param sampling searches with estimated results
 */
public record ResponsesPolicy(
    TrimmingPolicy trimming, ExportPolicy export, SamplingPolicy sampling) {}
