/** Clusters with OpenSearch's security plugin. */
@NullMarked
package dev.weir.it.secured;

import org.jspecify.annotations.NullMarked;
