package restyfetch

// The numbers that Windows gives to what happens to a socket. For the names of
// POSIX package syscall makes up others there, which no call returns; elsewhere
// no error has a number as large, so that both can stand in one list.
const (
	wsaEACCES        = 10013
	wsaEMFILE        = 10024
	wsaEAFNOSUPPORT  = 10047
	wsaEADDRINUSE    = 10048
	wsaEADDRNOTAVAIL = 10049
	wsaENETDOWN      = 10050
	wsaENETUNREACH   = 10051
	wsaENETRESET     = 10052
	wsaECONNABORTED  = 10053
	wsaECONNRESET    = 10054
	wsaENOBUFS       = 10055
	wsaETIMEDOUT     = 10060
	wsaECONNREFUSED  = 10061
	wsaEHOSTUNREACH  = 10065
	wsaSYSNOTREADY   = 10091
)
