/** Until when the answer to a request is waited for, by what its client and the policy say. */
@NullMarked
package dev.weir.admission.deadline;

import org.jspecify.annotations.NullMarked;
