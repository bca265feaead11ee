/* rt_comm.h after the preprocessor, for cffi and LuaJIT; made by bindings/generate.py, not to be edited.
 * It comes after that of the header which it includes. */
typedef struct rtComm_st* rtComm_t;
enum rtCommType {
  RT_COMM_TYPE_INVALID = -1,
  RT_COMM_I8 = 0,
  RT_COMM_U8 = 1,
  RT_COMM_I16 = 2,
  RT_COMM_U16 = 3,
  RT_COMM_I32 = 4,
  RT_COMM_U32 = 5,
  RT_COMM_I64 = 6,
  RT_COMM_U64 = 7,
  RT_COMM_F16 = 8,
  RT_COMM_BF16 = 9,
  RT_COMM_F32 = 10,
  RT_COMM_F64 = 11
};
enum rtCommReduction {
  RT_COMM_REDUCTION_INVALID = -1,
  RT_COMM_SUM = 0,
  RT_COMM_PRODUCT = 1,
  RT_COMM_MINIMUM = 2,
  RT_COMM_MAXIMUM = 3,
  RT_COMM_AVERAGE = 4
};
enum rtCommColor { RT_COMM_NO_COLOR = -1 };
enum rtCommEngine {
  RT_COMM_ENGINE_INVALID = -1,
  RT_COMM_ENGINE_IN_PROCESS = 0,
  RT_COMM_ENGINE_SHARED_MEMORY = 1,
  RT_COMM_ENGINE_MPI = 2,
  RT_COMM_ENGINE_NCCL = 3
};
enum rtCommTransport {
  RT_COMM_TRANSPORT_INVALID = -1,
  RT_COMM_TRANSPORT_HOST_MEMORY = 0,
  RT_COMM_TRANSPORT_DEVICE_COPIES = 1,
  RT_COMM_TRANSPORT_SHARED_MEMORY = 2,
  RT_COMM_TRANSPORT_MPI = 3,
  RT_COMM_TRANSPORT_MPI_STAGED = 4,
  RT_COMM_TRANSPORT_MPI_DEVICE = 5,
  RT_COMM_TRANSPORT_NCCL = 6
};
typedef struct rtCommUniqueId_t {
  uint8_t bytes[256];
} rtCommUniqueId_t;
typedef struct rtCommOptions_t {
  uint32_t struct_size;
  uint32_t flags;
  uint64_t timeout_ns;
  char label[64];
} rtCommOptions_t;
typedef struct rtCommInfo_t {
  uint32_t struct_size;
  int32_t engine;
  int32_t transport;
  int32_t rank;
  int32_t size;
  int32_t local_size;
  char engine_name[32];
  char engine_version[96];
  char transport_name[32];
  char reason[256];
} rtCommInfo_t;
rtStatus_t rtCommGetLastErrorMessage(char* buffer, size_t size, size_t* needed);
rtStatus_t rtCommCreateAll(rtComm_t* comms, const rtCommOptions_t* options, const rtContext_t* contexts, uint32_t count);
rtStatus_t rtCommGetUniqueId(rtCommUniqueId_t* id);
rtStatus_t rtCommCreate(rtComm_t* comm, const rtCommOptions_t* options, const rtCommUniqueId_t* id, int32_t rank,
    int32_t size, rtContext_t context);
rtStatus_t rtCommCreateFromMpi(rtComm_t* comm, const rtCommOptions_t* options, const void* mpi_comm,
    rtContext_t context);
rtStatus_t rtCommCreateFromEnvironment(rtComm_t* comm, const rtCommOptions_t* options, rtContext_t context);
rtStatus_t rtCommSplit(rtComm_t* comm, int32_t color, int32_t key, rtComm_t parent);
rtStatus_t rtCommDestroy(rtComm_t comm);
rtStatus_t rtCommAbort(rtComm_t comm);
rtStatus_t rtCommGetStatus(rtStatus_t* status, int32_t* rank, rtComm_t comm);
rtStatus_t rtCommGetStatusMessage(char* buffer, size_t size, size_t* needed, rtComm_t comm);
rtStatus_t rtCommGetRank(int32_t* rank, rtComm_t comm);
rtStatus_t rtCommGetSize(int32_t* size, rtComm_t comm);
rtStatus_t rtCommGetContext(rtContext_t* context, rtComm_t comm);
rtStatus_t rtCommGetInfo(rtCommInfo_t* info, rtComm_t comm);
rtStatus_t rtCommGroupBegin(void);
rtStatus_t rtCommGroupEnd(void);
rtStatus_t rtCommAllReduce(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction,
    rtStream_t stream, rtComm_t comm);
rtStatus_t rtCommReduce(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction, int32_t root,
    rtStream_t stream, rtComm_t comm);
rtStatus_t rtCommBroadcast(void* receive, const void* send, uint64_t count, int32_t type, int32_t root,
    rtStream_t stream, rtComm_t comm);
rtStatus_t rtCommAllGather(void* receive, const void* send, uint64_t count, int32_t type, rtStream_t stream,
    rtComm_t comm);
rtStatus_t rtCommReduceScatter(void* receive, const void* send, uint64_t count, int32_t type, int32_t reduction,
    rtStream_t stream, rtComm_t comm);
rtStatus_t rtCommAllToAll(void* receive, const void* send, uint64_t count, int32_t type, rtStream_t stream,
    rtComm_t comm);
rtStatus_t rtCommGather(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
    rtComm_t comm);
rtStatus_t rtCommScatter(void* receive, const void* send, uint64_t count, int32_t type, int32_t root, rtStream_t stream,
    rtComm_t comm);
rtStatus_t rtCommSend(const void* send, uint64_t count, int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm);
rtStatus_t rtCommReceive(void* receive, uint64_t count, int32_t type, int32_t peer, rtStream_t stream, rtComm_t comm);
rtStatus_t rtCommBarrier(rtStream_t stream, rtComm_t comm);
