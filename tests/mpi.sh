# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests that start processes by mpirun.

# as root, on few processors, and where a container keeps processes from reading one another
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_plm_rsh_agent=false

# has_mpi: whether the program is built with MPI (else it refuses, in mpi.err), and mpirun
# starts anything; says what is missing
has_mpi() {
    env OMPI_COMM_WORLD_SIZE=1 "$program" study "$examples/two_mass_damper.yaml" \
        --vary damper.preload=10,20 --quiet >/dev/null 2>mpi.err
    if grep -q 'built without MPI' mpi.err; then
        echo "# skipped: this build has no MPI"
        return 1
    fi
    if ! mpirun -n 2 true >/dev/null 2>&1; then
        echo "# skipped: mpirun is missing, or starts nothing"
        return 1
    fi
    # Open MPI keeps memory until the end in parts that it unloads: no suppression can name it
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}
