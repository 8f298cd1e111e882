package dev.weir.bluegreen.shadow;

import dev.weir.model.DisplayFormat;

/**
 * Two responses to one read that are to be compared, with copies that its owner releases.
 *
 * @param primary the response that the client got
 * @param shadow that of the other cluster
 */
record ShadowComparison(
    SelectedRead selected, RequestCopy request, CapturedResponse primary, CapturedResponse shadow) {

  /** Compares the responses; on the comparing thread, since it takes long. */
  DifferenceCollector findDifferences() {
    ResponseComparator comparator =
        new ResponseComparator(
            selected.kind(),
            new ResponseComparator.Tolerances(
                selected.policy().tolerances().maxAggregationDifference(),
                selected.policy().tolerances().minHitOverlap()),
            HitsComparator.Paging.parse(request));
    return comparator.compare(
        ResponseDecoder.decode(primary, selected.maxBodyBytes()),
        ResponseDecoder.decode(shadow, selected.maxBodyBytes()));
  }

  ShadowReport.ComparedPair toComparedPair() {
    return new ShadowReport.ComparedPair(
        selected.kind(),
        selected.source().cluster(),
        selected.route().target().cluster(),
        DisplayFormat.formatRequest(request.method(), request.uri()),
        primary.nanos(),
        shadow.nanos());
  }

  void release(CopyMemory copies) {
    copies.release(request);
    copies.release(primary);
    copies.release(shadow);
  }
}
